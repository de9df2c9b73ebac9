"""Given names, surnames, and capitalised words that are neither."""

from __future__ import annotations

from typing import Final

GIVEN: Final = frozenset(
    """Aaron Abdul Abigail Adam Adrian Agnes Agnieszka Ahmad Ahmed Aisha Akira Alan Albert Alejandra Alejandro
    Alessandro Alex Alexander Alexandra Alexei Alfred Ali Alice Alicia Alison Allison Alvaro Amanda Amara Amelia
    Amina Amir Amit Amy Ana Anastasia Anders Andre Andrea Andreas Andrei Andrew Andy Angela Anil Anita Anja Anjali
    Ann Anna Anne Annette Annie Anthony Antoine Anton Antonio Anya Arjun Arnold Arthur Arturo Asha Ashley Astrid
    Audrey Ayesha Barbara Beatrice Beatriz Ben Benjamin Bernard Beth Betty Bilal Bjorn Bob Boris Brandon Brenda
    Brendan Brian Bridget Bruno Caitlin Camila Camille Carl Carla Carlos Carmen Carol Carolina Caroline Catherine
    Cecilia Chandra Charlene Charles Charlotte Chen Chloe Chris Christian Christina Christine Christopher Claire
    Clara Claudia Colin Connor Craig Cristina Cynthia Daisuke Daniel Daniela Danielle Darren David Deborah Deepak
    Denise Dennis Derek Diana Diane Diego Dieter Dimitri Dmitri Dominic Donald Donna Doris Dorothy Douglas Duncan
    Dylan Eduardo Edward Eileen Elaine Eleanor Elena Eli Elias Elizabeth Ella Ellen Emily Emma Emmanuel Enrique Eric
    Erica Erik Erin Ernest Esther Ethan Eugene Eva Evan Evelyn Fatima Felipe Felix Fernando Fiona Florian Francesca
    Francesco Francis Francisco Frank Franz Fred Frederick Gabriel Gabriela Gareth Gary Gemma Geoffrey George
    Georgina Gerald Gerard Gianni Gillian Giovanni Giulia Gloria Gordon Graham Greg Gregory Greta Guillermo Gustavo
    Hannah Hans Harold Harriet Harry Hassan Heather Hector Heidi Helen Helena Helga Henrik Henry Herbert Hiroshi
    Howard Hugh Hugo Hussein Ian Ibrahim Ida Ignacio Igor Imran Ines Ingrid Irene Irina Isaac Isabel Isabella Ivan
    Ivy Jack Jacob Jacqueline Jacques Jake Jakob James Jamie Jan Jane Janet Janice Jasmine Jason Javier Jean Jeff
    Jeffrey Jennifer Jenny Jeremy Jerome Jerry Jesse Jessica Jill Jim Jing Joan Joanna Joanne Joao Joaquin Joe Joel
    Johan Johanna Johannes John Johnny Jonas Jonathan Jorge Jose Joseph Josephine Joshua Joyce Juan Juana Judith
    Judy Julia Julian Juliana Julie Juliet Julio Jun Jurgen Justin Kamal Karen Karim Karl Karin Karina Kate
    Katarzyna Katherine Kathleen Kathryn Katie Keith Kelly Ken Kenji Kenneth Kerry Kevin Khalid Kim Kimberly Kirsten
    Klaus Krishna Kristen Kristina Krzysztof Kumar Kurt Kyle Lakshmi Lara Larry Lars Laura Lauren Laurence Lawrence
    Leah Lena Leo Leon Leonardo Leslie Liam Lin Linda Lisa Lorenzo Lorraine Louis Louise Luca Lucas Lucia Lucy Luigi
    Luis Luisa Lukas Luke Lydia Lynn Madeleine Magdalena Mahmoud Malcolm Manuel Marc Marcel Marcelo Marcin Marco
    Marcus Margaret Margarita Maria Mariam Marianne Marie Marina Mario Marion Marjorie Marta Martha Martin Martina
    Mary Masha Mateo Matteo Matthew Matthias Maurice Maya Megan Mehmet Mei Melanie Melissa Mercedes Michael Michal
    Micheal Michel Michelle Miguel Mikhail Milan Mina Miranda Miriam Mohamed Mohammad Mohammed Moira Molly Monica
    Monika Muhammad Mustafa Nadia Naomi Natalia Natalie Natasha Nathan Neil Nicholas Nicola Nicolas Nicole Nigel
    Nikhil Nikita Nikolai Nina Noah Nora Norman Nuria Oleg Olga Oliver Olivia Omar Oscar Otto Owen Pablo Pamela
    Paolo Patricia Patrick Paul Paula Pauline Pavel Pedro Peggy Peter Petra Philip Philippe Phillip Pierre Piotr
    Polly Priya Rachel Rafael Raj Rajesh Ralph Ramon Ramona Raul Ravi Raymond Rebecca Regina Reza Ricardo Richard
    Rita Robert Roberta Roberto Roger Rohan Roland Roman Ronald Rosa Rosemary Ross Roy Ruben Rupert Russell Ruth
    Ryan Sabine Sabrina Sally Salman Sam Samantha Samir Samuel Sandra Sanjay Sara Sarah Saskia Scott Sean Sebastian
    Serena Serge Sergei Sergio Shannon Sharon Sheila Shirley Silvia Simon Simone Sofia Sonia Sophia Sophie Stacey
    Stanley Stefan Stefania Stephanie Stephen Steve Steven Stuart Sunita Susan Susanna Susanne Suzanne Svetlana Sven
    Sylvia Takeshi Tamara Tanya Tara Tatiana Ted Teresa Terence Terry Thelma Theo Theodore Theresa Thomas Tim
    Timothy Tina Tobias Todd Tom Tomas Tomasz Tony Tracy Trevor Tristan Ulrich Ursula Valentina Valerie Vanessa
    Veronica Vera Vicky Victor Vijay Vikram Vincent Viktor Vladimir Walter Wanda Wayne Wei Wendy Werner Wilhelm
    William Winston Wolfgang Xavier Yasmin Yolanda Yuki Yuri Yusuf Yvonne Zachary Zahra Zainab Zara Zoe""".split()
)
"""Given names that are hardly ever anything else; Grace, Mark, Will, May, Jordan, Hope are left out on purpose."""

NOT_NAMES: Final = frozenset(
    """A An The This That These Those It He She We You They I My Your His Her Our Their And Or But If Not No Yes So To
    From For With In On At By Of As Is Are Was Be Do Does Did Please Thanks Thank Hello Hi Dear Sir Madam Team All
    Everyone Everybody Folks Guys Friend Friends Customer Client Hiring Manager Support Service Committee Editor
    Reader Readers Recruiter Professor Doctor Teacher Parents Students Student User Admin Administrator Assistant
    Human System Bot Agent Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May
    June July August September October November December American British English Canadian Australian Chinese
    Japanese German French Italian Spanish Indian Russian Korean Dutch Swedish Mexican Brazilian European African
    Asian Irish Scottish Welsh Polish Turkish Greek Muslim Christian Jewish Buddhist Catholic Python Java Linux
    Windows Google Apple Microsoft Amazon Facebook Visual Studio Code Docker GitHub Excel Word Chrome Street Avenue
    Road Lane River Lake Mountain Island Bridge Park Station Airport Hotel Hospital University College School Church
    Street City County State Valley Beach Bay Harbour Method Theorem Law Effect Number Numbers Series Transform
    Equation Distribution Algorithm Test Prize Award Day Era Age Company Inc Ltd Corp Group Bank Foundation
    Institute Project Museum Theatre Library Cup League Club Kong York Francisco Name Email Phone Address Date
    Subject Ref Re Fwd Note Order Invoice Item Total Price Size Type Title Status Error Version File Path Here There
    When Where What Why How Who Which Can Could Would Should Will Shall Have Has Had Just Also Now Then Very Really
    Still Only Even Too Best Kind Warm Regards Sincerely Cheers Love Yours Good Great Nice Sorry Happy Glad Sure
    Okay Ok Inquirer""".split()
)
BRANDS: Final = frozenset(
    """Pepper Clean Butterworth Pac-Man Bean Robot Muscle Potato Bricolage Martens Oetker Scholl Dre Seuss Who Strange
    Doom Evil House Frankenstein Jekyll Freud Hyde Holmes Watson""".split()
)
PUBLIC: Final = frozenset(
    name.replace("_", " ")
    for name in """
    albert_einstein isaac_newton charles_darwin marie_curie ada_lovelace alan_turing jane_austen charles_dickens
    leonardo_da_vinci nikola_tesla stephen_hawking donald_trump barack_obama joe_biden bill_gates steve_jobs
    elon_musk john_lennon paul_mccartney michael_jackson david_bowie harry_potter james_bond peter_pan robin_hood
    robert_frost karl_marx adam_smith john_locke immanuel_kant martin_luther martin_luther_king nelson_mandela
    abraham_lincoln george_washington thomas_jefferson benjamin_franklin henry_ford walt_disney anne_frank
    frank_sinatra taylor_swift agatha_christie george_orwell oscar_wilde emily_dickinson edgar_allan_poe
    stephen_king vincent_van_gogh pablo_picasso claude_monet ludwig_van_beethoven johann_sebastian_bach jack_daniel
    johnny_walker ben_franklin peter_rabbit alice_in christopher_nolan christopher_columbus noam_chomsky
    donald_knuth guido_van_rossum martin_fowler kent_beck robert_martin eric_evans ken_thompson dennis_ritchie
    grace_hopper tim_berners-lee daniel_kahneman carl_sagan richard_feynman charlie_chaplin george_lucas
    steven_spielberg quentin_tarantino jack_london joan_of""".split()
)
"""People everyone knows: naming them tells nothing about anyone in the conversation."""
